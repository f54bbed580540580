/** Verdicts of the cube in words. */

import { CubeVerdict } from "bgbot/v1";

const VERDICTS: Readonly<Record<CubeVerdict, string>> = {
  [CubeVerdict.UNSPECIFIED]: "",
  [CubeVerdict.NO_DOUBLE]: "No double, take",
  [CubeVerdict.DOUBLE_TAKE]: "Double, take",
  [CubeVerdict.DOUBLE_PASS]: "Double, pass",
  [CubeVerdict.TOO_GOOD_TAKE]: "Too good to double, take",
  [CubeVerdict.TOO_GOOD_PASS]: "Too good to double, pass",
  [CubeVerdict.NO_REDOUBLE]: "No redouble, take",
  [CubeVerdict.REDOUBLE_TAKE]: "Redouble, take",
  [CubeVerdict.REDOUBLE_PASS]: "Redouble, pass",
  [CubeVerdict.TOO_GOOD_TO_REDOUBLE_TAKE]: "Too good to redouble, take",
  [CubeVerdict.TOO_GOOD_TO_REDOUBLE_PASS]: "Too good to redouble, pass",
  [CubeVerdict.NO_DOUBLE_BEAVER]: "No double, beaver",
  [CubeVerdict.DOUBLE_BEAVER]: "Double, beaver",
  [CubeVerdict.NO_REDOUBLE_BEAVER]: "No redouble, beaver",
  [CubeVerdict.NOT_AVAILABLE]: "The cube is not available",
  [CubeVerdict.CRAWFORD]: "Crawford game: no doubling",
};

export function verdictInWords(verdict: CubeVerdict): string {
  return VERDICTS[verdict];
}
