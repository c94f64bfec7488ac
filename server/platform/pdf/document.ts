import { PDFDocument } from 'pdfkit';
import { createFonts, type TextFeatures, type Weight } from './fonts.ts';
import { createTextLines, type Line } from './text-lines.ts';

/* A document of headings, paragraphs and facts: tagged, for archiving (PDF/A), one page in memory at a time. */

export interface DocumentHeader {
  title: string;
  /** Stands at the foot of each page. */
  footer: string;
  /** ISO 8601 */
  madeAt: string;
}

export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  /** @property lang of the value, if it isn't English */
  | { kind: 'fact'; name: string; value: string; lang?: string };

const MARGIN = 56;
const NAME_WIDTH = 118;
const INK = '#14171f';
const MUTED = '#5b6472';
const LINE = '#d9dde3';
/** A heading doesn't stand at the foot of a page, away from what it is over. */
const ROOM_BELOW_HEADING = 120;
/** What is no higher than this isn't torn apart by the end of a page. */
const KEPT_TOGETHER = 200;

interface Style {
  size: number;
  weight: Weight;
  color: string;
  lineHeight: number;
}

const TITLE: Style = { size: 20, weight: 700, color: INK, lineHeight: 27 };
const HEADING: Style = { size: 12, weight: 700, color: INK, lineHeight: 16 };
const BODY: Style = { size: 9, weight: 400, color: INK, lineHeight: 13 };
const NAME: Style = { ...BODY, color: MUTED };
const FOOTER: Style = { size: 7.5, weight: 400, color: MUTED, lineHeight: 10 };

/** Between the top of a line and its baseline, in sizes. */
const ASCENT = 1.05;

/** The first part of PDF/A limits how many pages and elements there may be; the second doesn't. */
const ARCHIVED = { pdfVersion: '1.7', subset: 'PDF/A-2a' };

export async function createDocument({ title, footer, madeAt }: DocumentHeader, archived = ARCHIVED) {
  const fonts = createFonts();
  const linesOf = createTextLines(fonts);
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    autoFirstPage: false,
    font: null,
    fontLayoutCache: false,
    info: { Title: title, Creator: 'Sayso', CreationDate: new Date(madeAt) },
    lang: 'en',
    displayTitle: true,
    tagged: true,
    ...archived,
  });
  const root = pdf.struct('Document');
  let section = root;
  let y = MARGIN;
  let pages = 0;
  let nextFooter: Line[] = [];

  const width = () => pdf.page.width - 2 * MARGIN;
  const bottom = () => pdf.page.height - MARGIN;

  function drawLine(line: Line, style: Style, left: number, top: number, boxWidth: number): void {
    let x = line.isRightToLeft ? left + boxWidth - line.width : left;
    for (const { face, text, isRightToLeft, width: runWidth } of line.runs) {
      const features: TextFeatures = { direction: isRightToLeft ? 'rtl' : 'ltr' };
      pdf.font(face.font, face.key).fontSize(style.size).fillColor(style.color);
      pdf.text(text, x, top + style.size * ASCENT, {
        lineBreak: false,
        baseline: 'alphabetic',
        textWidth: runWidth,
        wordCount: 1,
        features,
      });
      x += runWidth;
    }
  }

  /** What readers of the structure skip. */
  function decoration(type: 'Pagination' | 'Layout', draw: () => void): void {
    pdf.markContent('Artifact', { type });
    draw();
    pdf.endMarkedContent();
  }

  // At the start of a page, because what is on it may be marked until its end.
  pdf.on('pageAdded', () => {
    decoration('Pagination', () => {
      const [line] = nextFooter;
      if (line) drawLine(line, FOOTER, MARGIN, pdf.page.height - 36, width());
    });
    y = MARGIN;
    pages += 1;
  });

  async function nextPage(): Promise<void> {
    nextFooter = await linesOf(`${footer} · ${pages + 1}`, { ...FOOTER, width: 595 - 2 * MARGIN });
    if (pages === 0) pdf.addPage();
    else pdf.continueOnNewPage();
  }

  async function makeRoom(height: number): Promise<void> {
    if (y + height > bottom()) await nextPage();
  }

  /** One element of the structure, over the ends of pages. */
  async function element(
    type: string,
    options: { lang?: string; actual?: string },
    draw: () => Promise<void>,
  ): Promise<void> {
    const part = pdf.struct(type, options);
    section.add(part);
    const content = pdf.markStructureContent(type);
    await draw();
    pdf.endMarkedContent();
    part.add(content);
    part.end();
  }

  /** Of text whose characters stand on the page in another order. */
  const actualOf = (lines: readonly Line[], text: string) =>
    lines.some(({ runs }) => runs.some((run) => run.isRightToLeft)) ? { actual: text } : {};

  async function drawLines(lines: readonly Line[], style: Style, left: number, boxWidth: number) {
    for (const line of lines) {
      await makeRoom(style.lineHeight);
      drawLine(line, style, left, y, boxWidth);
      y += style.lineHeight;
    }
  }

  async function text(type: string, value: string, style: Style): Promise<void> {
    const lines = await linesOf(value, { ...style, width: width() });
    await element(type, actualOf(lines, value), () => drawLines(lines, style, MARGIN, width()));
  }

  function beginSection(): void {
    if (section !== root) section.end();
    section = pdf.struct('Sect');
    root.add(section);
  }

  async function heading(value: string): Promise<void> {
    await makeRoom(ROOM_BELOW_HEADING);
    beginSection();
    y += 12;
    decoration('Layout', () => {
      pdf
        .moveTo(MARGIN, y)
        .lineTo(pdf.page.width - MARGIN, y)
        .lineWidth(0.5)
        .stroke(LINE);
    });
    y += 9;
    await text('H2', value, HEADING);
    y += 4;
  }

  async function fact({ name, value, lang }: { name: string; value: string; lang?: string }): Promise<void> {
    const valueWidth = width() - NAME_WIDTH;
    const names = await linesOf(name, { ...NAME, width: NAME_WIDTH - 10 });
    const values = await linesOf(value, { ...BODY, width: valueWidth });
    await makeRoom(Math.min(Math.max(names.length, values.length) * BODY.lineHeight, KEPT_TOGETHER));
    const options = { ...(lang === undefined ? {} : { lang }), ...actualOf(values, `${name} ${value}`) };
    await element('P', options, async () => {
      const top = y;
      const page = pages;
      await drawLines(names, NAME, MARGIN, NAME_WIDTH - 10);
      const belowName = y;
      y = top;
      await drawLines(values, BODY, MARGIN + NAME_WIDTH, valueWidth);
      if (pages === page) y = Math.max(y, belowName);
    });
    y += 2.5;
  }

  pdf.addStructure(root);
  await nextPage();
  await text('H1', title, TITLE);
  y += 6;

  return {
    async add(block: Block): Promise<void> {
      if (block.kind === 'heading') await heading(block.text);
      else if (block.kind === 'fact') await fact(block);
      else {
        await text('P', block.text, BODY);
        y += 4;
      }
    },
    /** Bytes that are ready; null: none are. */
    read: () => pdf.read(),
    /** So that a reader knows that no page is missing. */
    async end(): Promise<void> {
      await text('P', `End of the document: ${pages === 1 ? '1 page' : `${pages} pages`}.`, NAME);
      if (section !== root) section.end();
      root.end();
      pdf.end();
    },
    pages: () => pages,
    /** Pages that aren't written yet. */
    held: () => pdf.bufferedPageRange().count,
    fontsLoaded: fonts.loaded,
  };
}
