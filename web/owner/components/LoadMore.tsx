import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from '#web/ui/Button.tsx';

interface LoadMoreProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  label: string;
  size?: 'sm' | 'md';
}

/** Loads the next page of the list above; renders nothing on the last one. */
export function LoadMore({ query, label, size = 'md' }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button size={size} isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
      {label}
    </Button>
  );
}
