import type { Config } from '#server/platform/config.ts';

export function avatarPath(id: string): string {
  return `/avatars/${id}.webp`;
}

/** What an account keeps of its picture, as an address: one of our own is a path, one from elsewhere (Google) is whole. */
export function presentAvatar({ appUrl }: Pick<Config, 'appUrl'>, kept: string | null): string | null {
  return kept?.startsWith('/') === true ? `${appUrl}${kept}` : kept;
}
