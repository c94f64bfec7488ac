/** Spreadsheets take a file without it for one in their own old letters; reading an answer takes it away. */
const BYTE_ORDER_MARK = '\ufeff';

/** Keeps a CSV text as a file of the browser's downloads. */
export function saveCsv(fileName: string, text: string): void {
  save(fileName, new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv' }));
}

/** Keeps data as a JSON file of the browser's downloads. */
export function saveJson(fileName: string, data: unknown): void {
  save(fileName, new Blob([`${JSON.stringify(data, null, 2)}\n`], { type: 'application/json' }));
}

/** Keeps a plain text as a file of the browser's downloads. */
export function saveText(fileName: string, text: string): void {
  save(fileName, new Blob([text], { type: 'text/plain' }));
}

function save(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Not at once: the browser still has to take it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
