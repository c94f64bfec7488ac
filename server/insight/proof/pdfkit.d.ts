/* What is used of pdfkit, which comes without types. */
declare module 'pdfkit' {
  interface TextOptions {
    width?: number;
    lineGap?: number;
    lineBreak?: boolean;
  }

  interface DocumentOptions {
    size?: string;
    margin?: number;
    bufferPages?: boolean;
    font?: string;
    info?: { Title?: string; Creator?: string; CreationDate?: Date };
    lang?: string;
    displayTitle?: boolean;
  }

  export class PDFDocument implements AsyncIterable<Uint8Array> {
    constructor(options?: DocumentOptions);
    x: number;
    y: number;
    readonly page: { width: number; height: number; margins: { bottom: number } };
    registerFont(name: string, file: string): this;
    font(name: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    text(text: string, x?: number, y?: number, options?: TextOptions): this;
    heightOfString(text: string, options?: TextOptions): number;
    moveDown(lines?: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    lineWidth(width: number): this;
    stroke(color: string): this;
    addPage(): this;
    bufferedPageRange(): { start: number; count: number };
    switchToPage(page: number): this;
    end(): void;
    [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
  }
}
