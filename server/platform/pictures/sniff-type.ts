import type { ImageProblem } from '#contract/images.ts';

/** Vector logos have about 10 kB; far larger ones only cost time. */
const MAX_SVG_BYTES = 512 * 1024;

export interface SniffedType {
  kind: 'pixels' | 'drawing';
  /** An SVG is returned as UTF-8 without its XML declaration, whatever encoding that named. */
  bytes: Buffer;
}

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.toString('latin1', at, at + text.length) === text;

function isOfPixels(bytes: Buffer): boolean {
  return (
    startsWith(bytes, '\x89PNG\r\n\x1a\n') ||
    startsWith(bytes, '\xff\xd8\xff') ||
    startsWith(bytes, 'GIF87a') ||
    startsWith(bytes, 'GIF89a') ||
    (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) ||
    (startsWith(bytes, 'ftyp', 4) && /^(?:avif|avis|mif1|miaf)/.test(bytes.toString('latin1', 8, 12)))
  );
}

const DECLARATION = /^\uFEFF?\s*<\?xml\s[^>]*\?>/;
const BEFORE_THE_ROOT = /^\s*(?:<!--[\s\S]*?-->\s*|<\?[\s\S]*?\?>\s*|<!DOCTYPE\s[^>[\]]*>\s*)*/i;

/** Looks at each letter at most twice, for texts are as long as strangers want them to be. */
function hasEntities(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower.includes('<!entity')) return true;
  let bracket = -1;
  for (let at = lower.indexOf('<!doctype'); at >= 0;) {
    const close = lower.indexOf('>', at);
    const end = close < 0 ? lower.length : close;
    if (bracket < at) bracket = lower.indexOf('[', at);
    if (bracket < 0) return false;
    if (bracket < end) return true;
    at = lower.indexOf('<!doctype', end);
  }
  return false;
}

function sniffSvg(bytes: Buffer): SniffedType | { problem: ImageProblem } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { problem: 'not_an_image' };
  }
  // Entities allow expansion bombs and reading local files (XXE).
  if (hasEntities(text)) {
    return { problem: /<svg[\s>]/i.test(text) ? 'svg_entities' : 'not_an_image' };
  }
  const drawing = text.replace(DECLARATION, '').replace(/^\uFEFF/, '');
  if (!/^<(?:svg:)?svg[\s>]/.test(drawing.replace(BEFORE_THE_ROOT, ''))) return { problem: 'not_an_image' };
  if (bytes.length > MAX_SVG_BYTES) return { problem: 'svg_too_long' };
  return { kind: 'drawing', bytes: Buffer.from(drawing, 'utf8') };
}

/** The type of a file by its content, regardless of its name. */
export function sniffType(bytes: Buffer): SniffedType | { problem: ImageProblem } {
  if (bytes.length === 0) return { problem: 'empty' };
  return isOfPixels(bytes) ? { kind: 'pixels', bytes } : sniffSvg(bytes);
}
