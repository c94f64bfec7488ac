/** Without it spreadsheets guess an older encoding; `fetch` strips it from the response. */
const BYTE_ORDER_MARK = '\ufeff';

/** Downloads CSV text as a file. */
export function downloadCsv(fileName: string, text: string): void {
  download(fileName, new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv' }));
}

/** Downloads data as a JSON file. */
export function downloadJson(fileName: string, data: unknown): void {
  download(fileName, new Blob([`${JSON.stringify(data, null, 2)}\n`], { type: 'application/json' }));
}

/** Downloads plain text as a file. */
export function downloadText(fileName: string, text: string): void {
  download(fileName, new Blob([text], { type: 'text/plain' }));
}

/** Downloads a file as the server made it. */
export function downloadFile(fileName: string, content: Blob | string): void {
  download(fileName, typeof content === 'string' ? new Blob([content]) : content);
}

function download(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Later, because the browser still has to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
