/** Whether keys are worth naming: not on a phone. */
export function hasKeyboard(): boolean {
  return matchMedia('(pointer: fine) and (min-width: 40rem)').matches;
}
