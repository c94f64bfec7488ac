import type { Page } from 'playwright-core';
import { escapeHtml } from '#server/platform/html.ts';
import type { WrittenMail } from './mails.ts';

/** A mail as a mail program shows it: its subject, its HTML in a frame of its own, and its plain text beneath. */
export async function showMail(
  page: Page,
  { subject, html, text, attachments = [] }: WrittenMail,
): Promise<void> {
  const files = attachments.map(({ name }) => `<li>${escapeHtml(name)}</li>`).join('');
  await page.setContent(`<!doctype html><html lang="en"><head><title>Mail</title><meta name="color-scheme" content="light dark">
<style>body{margin:0;font:14px system-ui}h1{font-size:18px;margin:16px}iframe{display:block;width:100%;border:0;border-block:1px solid #888}h2{font-size:14px;margin:16px 16px 0}pre{margin:8px 16px 16px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 monospace}</style></head>
<body><main><h1>${escapeHtml(subject)}</h1><iframe title="The mail" srcdoc="${escapeHtml(html)}"></iframe>
<h2>Plain text</h2><pre>${escapeHtml(text)}</pre>${files === '' ? '' : `<h2>Attached</h2><ul>${files}</ul>`}</main></body></html>`);
  await page.evaluate(async () => {
    const frame = document.querySelector('iframe');
    const inside = frame?.contentDocument;
    if (!frame || !inside) throw new Error('The mail has no frame');
    frame.style.height = `${inside.documentElement.scrollHeight}px`;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    // Once more, for what the height itself moves.
    frame.style.height = `${inside.documentElement.scrollHeight}px`;
  });
}
