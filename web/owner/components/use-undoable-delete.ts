import { useEffect, useRef, useState } from 'react';
import { useErrorText } from '#web/ui/error-text.ts';
import { toast } from '#web/ui/toast.tsx';

interface Texts {
  deleted: (name: string) => string;
  failed: (name: string) => string;
}

/**
 * Hides an item at once, and deletes it when its undo expires, or the screen is left, or the window closes. `commit`
 * makes the call and takes the item out of the cache.
 */
export function useUndoableDelete(commit: (id: string) => Promise<void>, texts: Texts) {
  const errorText = useErrorText();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef(new Map<string, () => void>());

  useEffect(() => {
    const closers = waiting.current;
    const commitAll = () => {
      for (const close of closers.values()) close();
    };
    window.addEventListener('pagehide', commitAll);
    return () => {
      window.removeEventListener('pagehide', commitAll);
      commitAll();
    };
  }, []);

  function show(id: string) {
    setHidden((before) => new Set([...before].filter((one) => one !== id)));
  }

  async function expire(item: { id: string; name: string }) {
    if (!waiting.current.delete(item.id)) return;
    try {
      await commit(item.id);
    } catch (error) {
      toast(`${texts.failed(item.name)} ${errorText(error)}`, { tone: 'error' });
    } finally {
      show(item.id);
    }
  }

  function remove(item: { id: string; name: string }) {
    setHidden((before) => new Set([...before, item.id]));
    const close = toast(texts.deleted(item.name), {
      onUndo: () => {
        waiting.current.delete(item.id);
        show(item.id);
      },
      onExpire: () => void expire(item),
    });
    waiting.current.set(item.id, close);
  }

  return { isHidden: (id: string) => hidden.has(id), remove };
}
