import { useSite } from '../site/current-site.tsx';
import { TakenDownBar } from './TakenDownBar.tsx';
import { TestModeBar, type TestModeBarProps } from './TestModeBar.tsx';

/** What is unusual about a site, above every screen. */
export function SiteBars(props: TestModeBarProps) {
  const { taken_down: takenDown, test_mode: isInTestMode } = useSite().site;
  return (
    <>
      {takenDown && <TakenDownBar reason={takenDown.reason} />}
      {(isInTestMode || props.isGoingLive) && <TestModeBar {...props} />}
    </>
  );
}
