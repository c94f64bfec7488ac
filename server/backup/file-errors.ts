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
      `${path}: this disk doesn't have enough space (${code}). The incomplete file was deleted. Choose another disk.`,
    );
  }
  if (code === 'ENOENT') return new Refusal(`${path}: its folder doesn't exist.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new Refusal(`${path}: this user can't write there (${code}).`);
  }
  return error;
}

/** What went wrong with reading a file, as a sentence. */
export function explainReading(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === 'ENOENT') return new Refusal(`${path}: this file doesn't exist.`);
  if (code === 'EACCES' || code === 'EISDIR') return new Refusal(`${path}: can't be read (${code}).`);
  if (code === 'Z_BUF_ERROR') return new Refusal(`${path}: the file is incomplete. Nothing was changed.`);
  if (code === 'Z_DATA_ERROR')
    return new Refusal(`${path}: the file is damaged or isn't a Sayso backup. Nothing was changed.`);
  return error;
}
