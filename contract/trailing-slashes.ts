/** `https://app.example.com//` is `https://app.example.com`. */
export function withoutTrailingSlashes(url: string): string {
  let { length } = url;
  while (url[length - 1] === '/') length -= 1;
  return url.slice(0, length);
}
