import { CircleUserRound } from 'lucide-react';
import { useState } from 'react';

/** A person's picture, or an icon where there is none. */
export function Avatar({ url, size = 24 }: { url: string | null; size?: 24 | 64 }) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (!url || url === brokenUrl) {
    return <CircleUserRound size={size} strokeWidth={1.5} aria-hidden className="shrink-0 text-ink-muted" />;
  }
  return (
    <img
      src={url}
      alt=""
      width={size}
      height={size}
      referrerPolicy="no-referrer"
      onError={() => setBrokenUrl(url)}
      className={`shrink-0 rounded-full object-cover ${size === 24 ? 'size-6' : 'size-16'}`}
    />
  );
}
