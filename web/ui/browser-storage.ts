/** Named values that are kept for this browser, or for this tab. */
interface KeptValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  keys(): string[];
}

/**
 * Where the browser has no storage, forbids it or has it full, values are kept in the page's memory: everything works
 * until the page is closed.
 */
function keptIn(find: () => Storage): KeptValues {
  const memory = new Map<string, string>();
  const tried = <T>(work: (storage: Storage) => T, otherwise: T): T => {
    try {
      return work(find());
    } catch {
      return otherwise;
    }
  };
  return {
    getItem: (key) => memory.get(key) ?? tried((storage) => storage.getItem(key), null),
    setItem(key, value) {
      const isStored = tried((storage) => (storage.setItem(key, value), true), false);
      if (isStored) memory.delete(key);
      else memory.set(key, value);
    },
    removeItem(key) {
      memory.delete(key);
      tried((storage) => storage.removeItem(key), undefined);
    },
    keys: () => [...memory.keys(), ...tried((storage) => Object.keys(storage), [])],
  };
}

export const keptInBrowser = keptIn(() => window.localStorage);
export const keptInTab = keptIn(() => window.sessionStorage);
