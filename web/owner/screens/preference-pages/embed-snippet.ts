import { EMBED_ATTRIBUTE, EMBED_SCRIPT_PATH } from '#contract/embed-messages.ts';
import type { PageForm } from './pages.logic.ts';

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string) => text.replaceAll(/[&"<>]/g, (character) => ESCAPES[character] ?? '');

/** What an owner pastes: the page in a frame, and the script that fits the frame's height to it. */
export function embedSnippet({ url, title, height }: { url: string; title: string; height: number }): string {
  const script = new URL(EMBED_SCRIPT_PATH, url).href;
  return [
    `<iframe src="${escaped(url)}" title="${escaped(title)}" width="100%" height="${height}" style="border:0" ${EMBED_ATTRIBUTE}></iframe>`,
    `<script src="${escaped(script)}" async></script>`,
  ].join('\n');
}

const HEIGHTS = {
  default_preference_page: { rest: 560, list: 92 },
  stacked_marketer_template: { rest: 640, list: 190 },
} as const;

/** About what the page needs on a wide screen, so that the frame hardly has to grow. */
export function frameHeight({ attrs, lists }: Pick<PageForm, 'attrs' | 'lists'>): number {
  const { rest, list } = HEIGHTS[attrs.template_id];
  const pause = attrs.offer_pause ? 200 : 0;
  return Math.min(2000, Math.ceil((rest + pause + list * lists.length) / 20) * 20);
}
