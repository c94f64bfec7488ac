import type { Config } from '#server/platform/config.ts';

export function avatarPath(id: string): string {
  return `/avatars/${id}.webp`;
}

/** The avatar as an account stores it: a path if it is ours, a full URL if it is external (Google). */
export function presentAvatar({ appUrl }: Pick<Config, 'appUrl'>, kept: string | null): string | null {
  return kept?.startsWith('/') === true ? `${appUrl}${kept}` : kept;
}
