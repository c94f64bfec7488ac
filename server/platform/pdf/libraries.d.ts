/* What is used of libraries that come without types. */

declare module 'pdfkit' {
  import type { Font } from 'fontkit';

  interface TextOptions {
    lineBreak?: boolean;
    baseline?: string;
    /** Of the text, so that it isn't measured again. */
    textWidth?: number;
    wordCount?: number;
    /** Passed to the font as it is. */
    features?: object;
  }

  interface DocumentOptions {
    size?: string;
    margin?: number;
    autoFirstPage?: boolean;
    font?: null;
    fontLayoutCache?: boolean;
    info?: { Title?: string; Creator?: string; CreationDate?: Date };
    lang?: string;
    displayTitle?: boolean;
    tagged?: boolean;
    pdfVersion?: string;
    subset?: string;
  }

  /** What a structure element points to: marked parts of pages. */
  interface MarkedContent {
    refs: object[];
  }

  interface StructureElement {
    add(child: StructureElement | MarkedContent): StructureElement;
    end(): void;
  }

  export class PDFDocument {
    constructor(options?: DocumentOptions);
    readonly page: { width: number; height: number };
    font(font: Font, key: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    text(text: string, x: number, y: number, options?: TextOptions): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    lineWidth(width: number): this;
    stroke(color: string): this;
    addPage(): this;
    continueOnNewPage(): this;
    bufferedPageRange(): { start: number; count: number };
    struct(type: string, options?: { lang?: string; actual?: string }): StructureElement;
    addStructure(element: StructureElement): this;
    markContent(tag: string, options?: { type?: string; actual?: string }): this;
    markStructureContent(tag: string): MarkedContent;
    endMarkedContent(): this;
    on(event: 'pageAdded', listener: () => void): this;
    /** What was written since; null: nothing. */
    read(): Uint8Array | null;
    end(): void;
  }
}

declare module 'fontkit' {
  export interface Glyph {
    advanceWidth: number;
  }

  export interface GlyphRun {
    glyphs: Glyph[];
    positions: { xAdvance: number; yAdvance: number; xOffset: number; yOffset: number }[];
    advanceWidth: number;
  }

  export interface Font {
    postscriptName: string;
    unitsPerEm: number;
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphsForString(text: string): Glyph[];
    layout(
      text: string,
      features?: object,
      script?: string,
      language?: string,
      direction?: 'ltr' | 'rtl',
    ): GlyphRun;
  }

  export function create(bytes: Buffer): Font;
}

declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string);
    /** Where the next line may begin; null: nowhere. */
    nextBreak(): { position: number; required: boolean } | null;
  }
}

declare module 'subset-font' {
  export default function subsetFont(
    font: Buffer,
    text: undefined,
    options: {
      keepAllGlyphs: true;
      targetFormat: 'truetype';
      variationAxes?: Record<string, number>;
      noHinting?: boolean;
    },
  ): Promise<Buffer>;
}
