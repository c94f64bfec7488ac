import { Mark, Switch } from './shapes.tsx';

/** The same way, as long as there is room: from the switch by its stops to the speech mark. */
export function Journey({ stops, done }: { stops: number; done: number }) {
  const isThere = done >= stops;
  return (
    <div aria-hidden className="flex items-center">
      <svg viewBox="0 0 36 24" width="36" height="24" fill="none" strokeWidth="1.500" className="shrink-0">
        <Switch x={18} y={12} isOn />
      </svg>
      {Array.from({ length: stops }, (_, stop) => (
        <Stop key={stop} isDone={stop < done} />
      ))}
      <span className={`flex-1 ${isThere ? DONE : OPEN}`} />
      <svg viewBox="0 0 44 40" width="44" height="40" fill="none" strokeWidth="1.500" className="shrink-0">
        <Mark x={22} y={21} scale={0.92} isToCome={!isThere} />
      </svg>
    </div>
  );
}

/** Borders, because a high-contrast theme takes backgrounds away. */
const DONE = 'border-t-2 border-accent';
const OPEN = 'border-t-2 border-dotted border-line-strong';

function Stop({ isDone }: { isDone: boolean }) {
  return (
    <>
      <span className={`flex-1 ${isDone ? DONE : OPEN}`} />
      <span
        className={`size-3.5 shrink-0 rounded-full border-2 ${isDone ? 'border-accent bg-accent' : 'border-line-strong bg-surface'}`}
      />
    </>
  );
}
