/** Everything that could be markup, as numbers. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The one layout of the product's mails, plain and HTML with the same words.
 * @param input.facts names and values in a table, between the lines and the button
 * @param input.footnote may be empty
 */
export function mailDocument(input: {
  language: string;
  lines: readonly string[];
  facts?: readonly (readonly [name: string, value: string])[];
  button: { text: string; link: string };
  footnote: string;
}): { text: string; html: string } {
  const paragraphs = input.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  const facts = input.facts ?? [];
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row" style="text-align:start;vertical-align:top;padding:.2rem .8rem .2rem 0;font-weight:600;white-space:nowrap">${escapeHtml(name)}</th><td style="padding:.2rem 0;overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`,
  );
  const table = rows.length === 0 ? '' : `<table style="border-collapse:collapse">${rows.join('')}</table>`;
  const footnote = input.footnote === '' ? '' : `<p style="color:#555555">${escapeHtml(input.footnote)}</p>`;
  const button = `<p><a href="${escapeHtml(input.button.link)}" style="display:inline-block;padding:.7rem 1.2rem;border-radius:8px;background:#1f5f8b;color:#ffffff;text-decoration:none">${escapeHtml(input.button.text)}</a></p>`;
  return {
    text: [
      ...input.lines,
      facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
      input.button.link,
      input.footnote,
    ]
      .filter((line) => line !== '')
      .join('\n\n'),
    html: `<!doctype html><html lang="${input.language}"><body style="font-family:system-ui,sans-serif;line-height:1.5;max-width:34rem;margin:2rem auto;padding:0 1rem">${paragraphs}${table}${button}${footnote}</body></html>`,
  };
}
