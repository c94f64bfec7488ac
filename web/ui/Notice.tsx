import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const TONES = {
  neutral: { box: 'bg-hover text-ink', icon: Info },
  success: { box: 'bg-success-soft text-success', icon: CircleCheck },
  warning: { box: 'bg-warning-soft text-warning', icon: TriangleAlert },
  danger: { box: 'bg-danger-soft text-danger', icon: TriangleAlert },
};

/** A sentence that has to be seen before going on. */
export function Notice({ tone = 'neutral', children }: { tone?: keyof typeof TONES; children: ReactNode }) {
  const { box, icon: Icon } = TONES[tone];
  return (
    <div className={`flex gap-2.5 rounded-lg px-3.5 py-2.5 ${box}`}>
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
    </div>
  );
}
