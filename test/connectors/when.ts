import { describe, it } from 'vitest';

/* Declares a test only for tools that it is about, so that none is skipped. */

type Declare = (name: string, work: () => Promise<void>) => void;
type DeclareAll = (name: string, tests: () => void) => void;

function nothing(): void {}

export const itWhen = (isMeant: boolean): Declare => (isMeant ? it : nothing);

export const describeWhen = (isMeant: boolean): DeclareAll => (isMeant ? describe : nothing);
