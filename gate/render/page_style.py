"""The style sheet of the page: light and dark by the reader's preference, and printable."""

STYLE = """\
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--paper:#fff;--line:#d1d9e0;--tint:#f6f8fa;--link:#0550ae;
--here:#bc4c00}
@media (prefers-color-scheme:dark){
:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--line:#3d444d;--tint:#151b23;--link:#79c0ff;--here:#f0883e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem;padding-bottom:.5rem;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
p,ul,ol,pre{margin:.75rem 0}
p,li{overflow-wrap:anywhere}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre{font-family:ui-monospace,SFMono-Regular,"DejaVu Sans Mono",monospace;font-size:.875em;background:var(--tint);
border-radius:6px}
code{padding:.15em .35em;white-space:pre-wrap;overflow-wrap:anywhere}
pre{padding:.75rem 1rem;overflow:auto;border:1px solid var(--line)}
pre code{padding:0;background:none;white-space:pre;overflow-wrap:normal}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;min-width:100%}
th,td{border:1px solid var(--line);padding:.4rem .7rem;text-align:left;vertical-align:top}
th{background:var(--tint);font-weight:600}
td:first-child{white-space:nowrap}
details{border:1px solid var(--line);border-radius:6px;margin:.75rem 0;padding:0 1rem}
summary{cursor:pointer;padding:.55rem 0;font-weight:600}
sub{display:block;color:var(--soft);font-size:.85rem;line-height:1.5;margin-top:1.5rem;vertical-align:baseline}
figure{margin:1rem 0}
.curve{width:30rem;max-width:100%;height:auto;display:block}
.curve text{fill:var(--ink);font-size:12px}
.curve polyline{fill:none;stroke-width:2;stroke:var(--link)}
.curve circle{fill:var(--link)}
.curve .grid{stroke:var(--line);stroke-width:1}
.curve polyline.here{stroke:var(--here)}
.curve circle.here{fill:var(--here)}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--line:#999;--tint:#fff;--link:#000;--here:#bc4c00}
main{max-width:none;padding:0}
tr,pre{break-inside:avoid}
.wide{overflow:visible}
pre code{white-space:pre-wrap}
}
"""
