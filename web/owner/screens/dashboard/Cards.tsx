import { useDeferredValue } from 'react';
import type { Dashboard } from '#contract/dashboard.ts';
import { DeliveriesCard } from './DeliveriesCard.tsx';
import { HealthCard } from './HealthCard.tsx';
import { MachineLeaves } from './MachineLeaves.tsx';
import { ChoicesCard, MovesCard } from './OverTime.tsx';
import { ReasonsCard } from './ReasonsCard.tsx';
import { Tiles } from './Tiles.tsx';

const COLUMN = 'flex min-w-0 flex-col gap-4';

/**
 * The key figures, and a frame later the charts and lists under them: drawn together they take twice as long to appear.
 * @param isOld whether the numbers are of the former range, until those of the chosen one have loaded
 */
export function Cards({ figures, isOld }: { figures: Dashboard; isOld: boolean }) {
  const areTilesDrawn = useDeferredValue(true, false);
  return (
    <div
      aria-busy={isOld}
      className={`flex flex-col gap-4 transition-opacity duration-150 ${isOld ? 'opacity-60' : ''}`}
    >
      <Tiles figures={figures} />
      <MachineLeaves range={figures.range} />
      {areTilesDrawn && (
        <div className="grid min-w-0 gap-4 xl:grid-cols-2">
          <div className={COLUMN}>
            <ChoicesCard figures={figures} />
            <DeliveriesCard figures={figures} />
          </div>
          <div className={COLUMN}>
            <MovesCard figures={figures} />
            <HealthCard figures={figures} />
            <ReasonsCard reasons={figures.reasons} range={figures.range} />
          </div>
        </div>
      )}
    </div>
  );
}
