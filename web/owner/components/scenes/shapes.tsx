import type { ReactNode } from 'react';

/*
 * What all drawings are made of: a switch, the change that leaves it as a dot on a line, and the speech mark of the logo
 * that it arrives at. Colours are tokens; what is still to come is dashed.
 */

export const LINE = 'stroke-line-strong';
export const CARD = 'fill-surface stroke-line-strong';
export const BAR = 'fill-line';
export const TO_COME = 'fill-surface stroke-line-strong [stroke-dasharray:2_3.5]';

interface Place {
  x: number;
  y: number;
}

interface SceneProps {
  width?: number;
  height?: number;
  children: ReactNode;
}

/** A drawing says nothing that the text beside it does not say. */
export function Scene({ width = 240, height = 104, children }: SceneProps) {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      fill="none"
      strokeWidth="1.500"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
      className="h-auto max-w-full"
    >
      {children}
    </svg>
  );
}

/** The change on its way. */
export function Change({ x, y }: Place) {
  return (
    <>
      <circle cx={x} cy={y} r="8" className="fill-surface" />
      <circle cx={x} cy={y} r="4.500" className="fill-accent" />
    </>
  );
}

/** Its middle is at the given place. */
export function Switch({ x, y, isOn = false, scale = 1 }: Place & { isOn?: boolean; scale?: number }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${scale})`}>
      <rect x="-17" y="-10" width="34" height="20" rx="10" className={isOn ? 'fill-accent' : CARD} />
      <circle cx={isOn ? 7 : -7} r="7" className={isOn ? 'fill-on-accent' : 'fill-line-strong'} />
    </g>
  );
}

/** The speech mark: said and heard. Its middle is at the given place. */
export function Mark({ x, y, scale = 1, isToCome = false }: Place & { scale?: number; isToCome?: boolean }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${scale})`}>
      <path
        d="M-20 -15a5 5 0 0 1 5 -5h30a5 5 0 0 1 5 5v22a5 5 0 0 1 -5 5h-13l-10 8v-8h-7a5 5 0 0 1 -5 -5z"
        className={isToCome ? TO_COME : 'fill-accent'}
      />
      {!isToCome && <path d="m-8 -4 5.500 5.500 10 -10.500" strokeWidth="3" className="stroke-on-accent" />}
    </g>
  );
}

export function Tile({ x, y, size = 32, isToCome = false }: Place & { size?: number; isToCome?: boolean }) {
  return (
    <rect
      x={x - size / 2}
      y={y - size / 2}
      width={size}
      height={size}
      rx="8"
      className={isToCome ? TO_COME : CARD}
    />
  );
}

/** Words, as one sees them from afar. */
export function Words({ x, y, width, height = 5 }: Place & { width: number; height?: number }) {
  return <rect x={x} y={y - height / 2} width={width} height={height} rx={height / 2} className={BAR} />;
}

export function Person({
  x,
  y,
  scale = 1,
  isToCome = false,
}: Place & { scale?: number; isToCome?: boolean }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${scale})`}>
      <circle r="17" className={isToCome ? TO_COME : CARD} />
      {!isToCome && (
        <>
          <circle cy="-4" r="5" className={BAR} />
          <path d="M-9 9.500a9.500 8 0 0 1 18 0a17 17 0 0 1 -18 0z" className={BAR} />
        </>
      )}
    </g>
  );
}
