import { Refusal } from '#server/command.ts';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What went wrong with writing a file, as a sentence. */
export function explainWriting(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (NO_ROOM.has(code)) {
    return new Refusal(
      `${path}: there is not enough room for it on this disk (${code}). What was written is removed again; choose another disk.`,
    );
  }
  if (code === 'ENOENT') return new Refusal(`${path}: its folder does not exist.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new Refusal(`${path}: this user may not write there (${code}).`);
  }
  return error;
}

/** What went wrong with reading a file, as a sentence. */
export function explainReading(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === 'ENOENT') return new Refusal(`${path}: there is no such file.`);
  if (code === 'EACCES' || code === 'EISDIR') return new Refusal(`${path}: it cannot be read (${code}).`);
  if (code === 'Z_BUF_ERROR') return new Refusal(`${path}: the file is cut short. Nothing was changed.`);
  if (code === 'Z_DATA_ERROR')
    return new Refusal(`${path}: the file is damaged, or no backup of Sayso. Nothing was changed.`);
  return error;
}
