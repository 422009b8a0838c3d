# The hook as a shell script: what countersign-hook does, for the comparison of hook_bench.sh. $1 is the socket.
# Without `nc` a shell can't connect at all; then this only reads, looks and frames, which is less than the others do.
input=$(cat)
[ -S "$1" ] || exit 0
u32() { printf "\\$(printf %o $(($1 >> 24 & 255)))\\$(printf %o $(($1 >> 16 & 255)))\\$(printf %o $(($1 >> 8 & 255)))\\$(printf %o $(($1 & 255)))"; }
field() { u32 ${#1}; printf %s "$1"; }
length=$((32 + 6 + 17 + ${#PWD} + ${#PATH} + ${#input}))
frame() {
    printf 'CS\001\001'
    u32 $length
    field claude
    field PermissionRequest
    u32 125000
    field "$PWD"
    field "$PATH"
    u32 0
    u32 0
    field "$input"
}
if command -v nc >/dev/null; then
    frame | nc -U "$1" | tail -c +5
else
    frame >/dev/null
fi
