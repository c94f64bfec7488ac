/** Spreadsheets take a file without it for one in their own old letters; reading an answer takes it away. */
const BYTE_ORDER_MARK = '\ufeff';

/** Keeps a CSV text as a file of the browser's downloads. */
export function saveCsv(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Not at once: the browser still has to take it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
