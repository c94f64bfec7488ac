/**
 * Some password managers fill in a field without an event, so that React never gets to know what is in it, and would
 * empty it. Before a form is sent, each of its fields says what it holds; React ignores what it knows already.
 */
export function readSilentlyFilledFields(): void {
  const options = { capture: true };
  addEventListener(
    'submit',
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return;
      for (const field of target.querySelectorAll('input')) {
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    },
    options,
  );
}
