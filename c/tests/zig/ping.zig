//! The C library in a program in Zig, by way of `zig translate-c`.
const tl = @import("tautline");

pub fn main() u8 {
    const frame = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    var event: tl.tl_event = undefined;
    if (tl.tl_check(&tl.tl_mcp_2025_11_25, tl.tl_text(frame), &event) != tl.TL_KIND_REQUEST) return 1;
    return if (tl.tl_text_eq(event.method, "ping") == 1) 0 else 2;
}
