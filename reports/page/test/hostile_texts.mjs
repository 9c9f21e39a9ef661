// SPDX-License-Identifier: Apache-2.0
// Two hundred texts that want to be more than text.

const kMarkup = [
  "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--<script>", "-->", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>",
  "<style>*{display:none}</style>", "</style>", "<iframe src=javascript:alert(1)>", "<a href=javascript:alert(1)>x</a>", "<x-hostile>", "&lt;b&gt;", "&#60;",
  "<b>bold</b>", "]]>", "<![CDATA[x]]>", "<?xml version='1.0'?>", "{{pippin-data}}", "{{script}}", "{{policy}}", "$&", "$1", "$`", "\\u003cscript>", "<base href=//x>",
  "<meta http-equiv=refresh content=0>", "<form action=//x>", "<math><mi//xlink:href='data:x,<script>'>", "<details open ontoggle=alert(1)>", "<template>",
];
const kQuotes = ["'", '"', "`", "''", '""', "'\"`", "\\", "\\\\", "\\\"", "it's", 'say "x"', "a,b", "a;b", "a\tb", "a\nb", "a\r\nb", "=1+1", "+1", "-1", "@x", "%s", "%n",
  "' OR 1=1 --", "\"]", "\"} .x", "#id", ".class", "a:b", "a/b", "../../x", "C:\\x", "NaN", "null", "undefined", "true", "0", "-0", "1e999", "Infinity", "__proto__",
  "constructor", "toString", "hasOwnProperty", "", " ", "  leading", "trailing  "];
const kLetters = ["\u0000", "a\u0000b", "\u0001\u0002", "\u0008", "\u001b[31mred", "\u007f", "\u0085", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ufffd", "\ud800", "\udfff",
  "\u202eevil\u202c", "\u202e", "\u2066x\u2069", "\u200f", "\u200b", "\u00ad", "שלום", "مرحبا", "שלום-abc-123", "漢字", "ひらがな", "한국어", "ไทย", "Ω≈ç√", "😀", "👩‍👩‍👧‍👦", "🇩🇪",
  "a\u0300\u0301\u0302\u0303", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚", "ﷺ", "𝕏", "\u{10ffff}", "½", "İ", "ß", "ﬁ"];

function long_texts() {
  const all = ["x".repeat(10000), "x ".repeat(5000), "-".repeat(3000), "W".repeat(500), "漢".repeat(2000), "😀".repeat(1000), "a-".repeat(1000), "<b>".repeat(1000), "\u202e".repeat(100),
    "1".repeat(400), "tp4-".repeat(60), "\n".repeat(200), " ".repeat(2000)];
  return all;
}

export function hostile_texts() {
  const all = [...kMarkup, ...kQuotes, ...kLetters, ...long_texts()];
  for (let i = 0; all.length < 200; ++i) all.push(`${kMarkup[i % kMarkup.length]}${kLetters[(i * 7) % kLetters.length]}${kQuotes[(i * 5) % kQuotes.length]}`);
  return all;
}
