/** Everything that could be markup, as numbers. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The one layout of the product's mails, plain and HTML with the same words.
 * @param input.footnote may be empty
 */
export function mailDocument(input: {
  language: string;
  lines: readonly string[];
  button: { text: string; link: string };
  footnote: string;
}): { text: string; html: string } {
  const paragraphs = input.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  const footnote = input.footnote === '' ? '' : `<p style="color:#555555">${escapeHtml(input.footnote)}</p>`;
  const button = `<p><a href="${escapeHtml(input.button.link)}" style="display:inline-block;padding:.7rem 1.2rem;border-radius:8px;background:#1f5f8b;color:#ffffff;text-decoration:none">${escapeHtml(input.button.text)}</a></p>`;
  return {
    text: [...input.lines, input.button.link, input.footnote].filter((line) => line !== '').join('\n\n'),
    html: `<!doctype html><html lang="${input.language}"><body style="font-family:system-ui,sans-serif;line-height:1.5;max-width:34rem;margin:2rem auto;padding:0 1rem">${paragraphs}${button}${footnote}</body></html>`,
  };
}
