/** Email tools write their merge fields so; one that is left in an email was never replaced. */
const MERGE_FIELD =
  /\*\|[^|*<>]{1,80}\|\*|\{\{[^{}<>]{0,200}\}\}|\{%[^{}<>]{1,200}%\}|%%[^%<>\s]{1,80}%%|%(?=[A-Z_]{0,40}[G-Z_])[A-Z_]{4,40}%|<%[^<>]{1,80}%>|\$\{[^{}<>]{1,80}\}|\[(?:unsubscribe|preferences)[\w -]{0,40}\]|\{\$?\w{0,40}unsub\w{0,40}\}/i;
/** Upper case alone tells these from percent encoding. */
const IS_UPPER_CASE = /^%[A-Z_]+%$/;

function unescapedUrl(url: string): string {
  return url.replaceAll(/%(7b|7d|7c|5b|5d|2a|3c|3e|24|20)/gi, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** The first merge field in a URL or header; null if there is none. */
export function mergeFieldIn(text: string): string | null {
  for (const one of [text, unescapedUrl(text)]) {
    const [found] = MERGE_FIELD.exec(one.slice(0, 8000)) ?? [];
    if (found !== undefined && (!/^%[a-z_]+%$/i.test(found) || IS_UPPER_CASE.test(found))) return found;
  }
  return null;
}
