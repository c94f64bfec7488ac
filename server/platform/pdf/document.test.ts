import { describe, expect, it } from 'vitest';
import { pdfText } from '#test/harness/pdf-text.ts';
import { SCRIPTS } from '#test/harness/scripts.ts';
import { type Block, createDocument } from './document.ts';
import { createFonts } from './fonts.ts';
import { createTextLines } from './text-lines.ts';

const HEADER = { title: 'Proof', footer: 'Footer', madeAt: '2026-11-30T10:00:00.000Z' };
const BODY = { size: 9, weight: 400, width: 360 } as const;

async function drawn(blocks: readonly Block[]): Promise<Buffer> {
  const document = await createDocument(HEADER);
  const bytes: Uint8Array[] = [];
  const read = () => {
    for (let some = document.read(); some !== null; some = document.read()) bytes.push(some);
  };
  for (const block of blocks) {
    await document.add(block);
    read();
  }
  await document.end();
  read();
  return Buffer.concat(bytes);
}

const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
const inOrder = (text: string) => [...text.replaceAll(/\s/g, '')].toSorted().join('');

describe('a document', () => {
  it.each(SCRIPTS)('draws %s with glyphs that stand for its characters', async (_script, text) => {
    const linesOf = createTextLines(createFonts());
    const lines = await linesOf(text, BODY);
    const seen = lines.flatMap(({ runs }) => runs.map((run) => run.text)).join('');
    // Variation selectors have no look of their own.
    expect(inOrder(seen)).toBe(inOrder(text.replaceAll('\ufe0f', '')));
    for (const { runs } of lines)
      for (const { face, text: run } of runs)
        for (const character of run.replaceAll(/[\u200c\u200d]/g, ''))
          expect(face.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)).toBe(true);
    expect(pdfText(await drawn([paragraph(text)]))).not.toContain('[U+');
  });

  it('shows a character that it cannot draw, or that would turn others around, by its code point', async () => {
    const text = pdfText(await drawn([paragraph('a\u{10380}b\u{10fffd}c\u202ed\u0007e\ud800f')]));
    expect(text).toContain('a[U+10380]b[U+10FFFD]c[U+202E]d[U+0007]e[U+D800]f');
  });

  it('is tagged, in a language, and made for archives', async () => {
    const hebrew: Block = { kind: 'fact', name: 'Words', value: 'שלום', lang: 'he' };
    const pdf = (await drawn([hebrew])).toString('latin1');
    for (const part of [
      '/Lang (en)',
      '/Marked true',
      '/StructTreeRoot',
      '/S /H1',
      '/Lang (he)',
      '/ActualText',
    ])
      expect(pdf).toContain(part);
    expect(pdf).toContain('<pdfaid:part>2</pdfaid:part>');
    expect(pdf).toContain('<pdfaid:conformance>A</pdfaid:conformance>');
    expect(pdf).toContain('/OutputIntents');
    expect(pdf.match(/\/Type \/FontDescriptor/g)?.length).toBe(pdf.match(/\/FontFile2 /g)?.length);
  });

  it('loads only the fonts that its text needs', async () => {
    const document = await createDocument(HEADER);
    await document.add(paragraph('Only English'));
    expect(document.fontsLoaded()).toBe(2);
    await document.add(paragraph('ニュース'));
    expect(document.fontsLoaded()).toBeLessThan(12);
  });

  it('holds one page, however many it has', async () => {
    const document = await createDocument(HEADER);
    let most = 0;
    for (let record = 0; record < 300; record += 1) {
      await document.add({ kind: 'heading', text: `Record ${record}` });
      for (let fact = 0; fact < 8; fact += 1)
        await document.add({ kind: 'fact', name: 'Hash', value: `${record} ${fact}`.repeat(12) });
      most = Math.max(most, document.held());
      document.read();
    }
    expect(document.pages()).toBeGreaterThan(50);
    expect(most).toBe(1);
  });

  it('says at its end how many pages it has', async () => {
    const words = paragraph('Words of a page. '.repeat(400));
    expect(pdfText(await drawn([words, words]))).toContain('End of the document: 3 pages.');
  });
});

describe('a line', () => {
  const linesOf = createTextLines(createFonts());
  const drawnText = async (text: string) =>
    (await linesOf(text, BODY)).map(({ runs }) => runs.map((run) => run.text).join(''));

  it('begins on the right where its text does, with brackets turned around', async () => {
    const [line] = await linesOf('שלום (עולם) Sayso 12', BODY);
    expect(line?.isRightToLeft).toBe(true);
    // From left to right, as it stands on the page; the font turns around what is read from the right.
    const [first, ...others] = line?.runs ?? [];
    expect(first).toMatchObject({ text: 'Sayso 12', isRightToLeft: false });
    expect(others.map(({ isRightToLeft }) => isRightToLeft)).toEqual(others.map(() => true));
    expect(others.map(({ text }) => text)).toEqual(expect.arrayContaining(['שלום', 'עולם']));
    expect(others.map(({ text }) => text.trim()).indexOf('עולם')).toBeLessThan(
      others.map(({ text }) => text.trim()).indexOf('שלום'),
    );
    expect((await linesOf('Sayso שלום', BODY))[0]?.isRightToLeft).toBe(false);
  });

  it('keeps a name that is isolated in its place', async () => {
    const [line] = await linesOf('\u2068חדשות\u2069: not subscribed → subscribed', BODY);
    expect(line?.isRightToLeft).toBe(false);
    expect(line?.runs[0]?.text).toBe('חדשות');
  });

  it.each([
    ['a long address', `https://shop.example/${'a-path/'.repeat(60)}`],
    ['one word without end', 'X'.repeat(2000)],
    ['Thai, which has no spaces', 'รับข่าวสารทุกวันจันทร์ทางอีเมลของคุณได้ฟรี'.repeat(10)],
    ['Arabic', 'الأخبار الأسبوعية كل يوم اثنين '.repeat(20)],
    ['Japanese', '毎週月曜日のニュースレターを受け取る。'.repeat(10)],
  ])('is never wider than its place, and loses nothing: %s', async (_what, text) => {
    const lines = await linesOf(text, BODY);
    expect(lines.length).toBeGreaterThan(2);
    for (const { width } of lines) expect(width).toBeLessThanOrEqual(BODY.width);
    expect(inOrder((await drawnText(text)).join(''))).toBe(inOrder(text));
  });

  it('ends between words, also where a script has no spaces', async () => {
    const words = [
      ...new Intl.Segmenter('th', { granularity: 'word' }).segment('รับข่าวสารทุกวันจันทร์'.repeat(10)),
    ];
    const starts = new Set(words.map(({ index }) => index));
    let at = 0;
    for (const line of await drawnText('รับข่าวสารทุกวันจันทร์'.repeat(10))) {
      expect(starts).toContain(at);
      at += line.length;
    }
  });

  it('is one of each that was written', async () => {
    expect(await drawnText('one\ntwo\r\n\nfour')).toEqual(['one', 'two', '', 'four']);
  });
});
