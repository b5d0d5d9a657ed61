"""The style sheet of the page: light and dark by the reader's preference, narrow and wide, and printable.

Colours are named once a scheme; a test computes their contrast. Nothing in it loads anything or moves by itself.
"""

STYLE = """\
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--paper:#fff;--line:#d1d9e0;--tint:#f6f8fa;--link:#0550ae;
--here:#bc4c00;--edge:#818b98;--plus:#dafbe1;--minus:#ffebe9}
@media (prefers-color-scheme:dark){
:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--line:#3d444d;--tint:#151b23;--link:#79c0ff;--here:#f0883e;
--edge:#656c76;--plus:#12351f;--minus:#4a1d1f}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
main,header,nav,footer{max-width:72rem;margin:0 auto;padding:0 1rem}
header,main:first-child{padding-top:1.5rem}
main{padding-bottom:2rem}
main:focus{outline:none}
.skip{position:absolute;left:-99rem;padding:.5rem 1rem;background:var(--paper)}
.skip:focus{left:.5rem;top:.5rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem;padding-bottom:.5rem;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
h2{font-size:1.25rem;line-height:1.3;margin:2rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 0;padding:0}
p,ul,ol,pre{margin:.75rem 0}
p,li{overflow-wrap:anywhere}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre{font-family:ui-monospace,SFMono-Regular,"DejaVu Sans Mono",monospace;font-size:.875em;background:var(--tint);
border-radius:6px}
code{padding:.15em .35em;white-space:pre-wrap;overflow-wrap:anywhere}
pre{padding:.75rem 1rem;overflow:auto;border:1px solid var(--line)}
pre code{padding:0;background:none;white-space:pre-wrap;font-size:1em}
.plus{background:var(--plus)}
.minus{background:var(--minus)}
.soft{color:var(--soft);font-size:.875rem;white-space:nowrap}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;min-width:100%}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{border:1px solid var(--line);padding:.4rem .7rem;text-align:left;vertical-align:top}
th{background:var(--tint);font-weight:600}
tbody th{background:none;font-weight:400;min-width:min(14rem,45vw)}
td:first-child{white-space:nowrap}
details{border:1px solid var(--line);border-radius:6px;margin:.75rem 0;padding:0 1rem}
summary{cursor:pointer;padding:.55rem 0;font-weight:600}
sub{display:block;color:var(--soft);font-size:.875rem;line-height:1.5;vertical-align:baseline}
footer{border-top:1px solid var(--line);padding-top:.25rem;padding-bottom:2rem}
figure{margin:1rem 0}
figcaption{font-size:.875rem}
svg{display:block;max-width:100%;height:auto}
svg text{fill:var(--ink);font-size:12px;font-weight:400}
svg polyline{fill:none;stroke-width:2;stroke:var(--link)}
svg circle{fill:var(--link)}
svg .grid{stroke:var(--line);stroke-width:1}
svg polyline.here{stroke:var(--here)}
svg polygon.here{fill:var(--here)}
.curve{width:30rem}
.curve text{font-size:14px}
.bars{width:14rem;min-width:14rem}
.scale text{font-size:15px}
.trend{width:26rem}
.small{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:0 1.5rem;align-items:end}
@media (max-width:48rem){
th,td{min-width:5.5rem}
td:first-child,thead th:first-child{min-width:0}
td:first-child+td{min-width:11rem}
td:first-child~td:nth-child(n+4):last-child{min-width:12rem}
.bars{width:10rem;min-width:10rem}
.scale text{font-size:17px}
}
@media (max-width:36rem){.curve text{font-size:18px}}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--line:#999;--tint:#fff;--link:#000;--here:#bc4c00;
--edge:#666;--plus:#fff;--minus:#fff}
@page{margin:16mm}
body{font-size:10.5pt}
main,header,nav,footer{max-width:none;padding:0}
nav,.skip{display:none}
h2,h3,summary{break-after:avoid}
tr,pre,figure{break-inside:avoid}
thead{display:table-header-group}
.wide{overflow:visible}
th,td,tbody th,td:first-child+td,td:first-child~td:nth-child(n+4):last-child{min-width:0;padding:.25rem .4rem}
td:first-child{white-space:normal}
code{overflow-wrap:anywhere}
details{border:0;padding:0}
details::details-content{content-visibility:visible;block-size:auto}
.bars{width:9rem;min-width:9rem}
.small{grid-template-columns:1fr 1fr}
.trend{width:100%}
}
"""
