# Enters a root within the mount namespace it is started in: enter.sh ROOT rw|ro BOUND WRITABLE USER FOLDER COMMAND...
root=$1 mode=$2 bound=$3 writable=$4 user=$5 folder=$6
shift 6
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for node in null zero full random urandom; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
IFS=:
for file in $bound; do
    if test -d "$file"; then mkdir -p "$root$file"; else mkdir -p "$root$(dirname "$file")" && touch "$root$file"; fi
    mount --bind -o ro "$file" "$root$file"
done
for place in $writable; do mount -t tmpfs -o mode=1777 writable "$root$place"; done
unset IFS
if test "$mode" = ro; then mount -o remount,bind,ro "$root"; fi
# shellcheck disable=SC2016
exec chroot --userspec="$user" --groups="${user#*:}" "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
