/** The frame of a dialog: the browser keeps the focus inside, and Escape closes it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../Icon.js";

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

export function Dialog({ title, close, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <h2 id="dialog-title" tabIndex={-1} autofocus>
          {title}
        </h2>
        {children}
        <button type="button" class="close" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
    </dialog>
  );
}
