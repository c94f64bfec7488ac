import { BAR, CARD, Change, LINE, Mark, Person, Scene, Switch, Tile, TO_COME, Words } from './shapes.tsx';

/** What each listing will hold, with one change that is on its way there. */

export function ListsScene() {
  return (
    <Scene>
      <rect x="52" y="4" width="136" height="66" rx="10" className={CARD} />
      <Words x={68} y={24} width={52} />
      <Words x={68} y={50} width={38} />
      <Switch x={162} y={24} isOn scale={0.8} />
      <Switch x={162} y={50} scale={0.8} />
      <rect x="52" y="78" width="136" height="24" rx="8" className={TO_COME} />
      <path d="M120 85.500v9M115.500 90h9" className={LINE} />
    </Scene>
  );
}

export function IntegrationsScene() {
  return (
    <Scene>
      <path
        d="M112 52C140 52 136 18 166 18M112 52C140 52 136 86 166 86"
        className={`${LINE} [stroke-dasharray:1_4]`}
      />
      <Change x={112} y={52} />
      <Switch x={42} y={52} isOn scale={1.2} />
      <Tile x={180} y={18} isToCome size={28} />
      <Tile x={180} y={52} isToCome size={28} />
      <path d="M180 47.500v9M175.500 52h9" className={LINE} />
      <Tile x={180} y={86} isToCome size={28} />
    </Scene>
  );
}

export function ActionsScene() {
  return (
    <Scene>
      <Switch x={40} y={52} isOn scale={1.2} />
      <Change x={88} y={52} />
      <Tile x={132} y={52} size={36} />
      <path
        d="m134.500 41.500-9.500 12.500h7.500l-2 8.500 9.500-12.500h-7.500z"
        className="fill-accent-soft stroke-accent"
      />
      <Mark x={200} y={53} scale={0.9} isToCome />
    </Scene>
  );
}

export function PagesScene() {
  return (
    <Scene>
      <rect x="72" y="2" width="96" height="100" rx="10" className={CARD} />
      <Mark x={88} y={19} scale={0.36} />
      <Words x={102} y={18} width={36} height={6} />
      <Words x={84} y={42} width={34} />
      <Switch x={146} y={42} scale={0.7} isOn />
      <Words x={84} y={61} width={26} />
      <Switch x={146} y={61} scale={0.7} />
      <rect x="84" y="77" width="72" height="14" rx="5" className="fill-accent-soft stroke-accent" />
      <Change x={196} y={52} />
    </Scene>
  );
}

export function CustomersScene() {
  return (
    <Scene>
      <Person x={64} y={60} scale={0.9} isToCome />
      <Person x={176} y={60} scale={0.9} isToCome />
      <Person x={120} y={60} scale={1.5} />
      <Mark x={152} y={28} scale={0.8} />
    </Scene>
  );
}

export function DeliveriesScene() {
  return (
    <Scene>
      <Switch x={40} y={52} isOn scale={1.2} />
      <circle cx="80" cy="52" r="2.500" className={BAR} />
      <circle cx="98" cy="52" r="3" className="fill-line-strong" />
      <Change x={122} y={52} />
      <Mark x={196} y={53} isToCome />
      <path d="m188 49 5.500 5.500 10 -10.500" className={LINE} />
    </Scene>
  );
}

export function EvidenceScene() {
  return (
    <Scene>
      <Change x={40} y={52} />
      <path d="M80 12a8 8 0 0 1 8 -8h46l26 26v62a8 8 0 0 1 -8 8h-64a8 8 0 0 1 -8 -8z" className={CARD} />
      <path d="M134 4v18a8 8 0 0 0 8 8h18" className={LINE} />
      <Words x={94} y={40} width={44} />
      <Words x={94} y={54} width={52} />
      <Words x={94} y={68} width={32} />
      <Mark x={158} y={80} scale={0.85} />
    </Scene>
  );
}

export function ImportsScene() {
  return (
    <Scene>
      <rect x="28" y="12" width="76" height="80" rx="8" className={CARD} />
      <path d="M28 32h76M66 12v80M28 52h76M28 72h76" className="stroke-line" />
      {[22, 42, 62, 82].map((y) => (
        <Words key={y} x={36} y={y} width={22} height={4} />
      ))}
      <Switch x={85} y={42} scale={0.55} isOn />
      <Switch x={85} y={62} scale={0.55} />
      <Switch x={85} y={82} scale={0.55} isOn />
      <Change x={130} y={52} />
      <Person x={180} y={52} scale={0.95} />
      <Person x={180} y={17} scale={0.8} isToCome />
      <Person x={180} y={87} scale={0.8} isToCome />
    </Scene>
  );
}

export function ActivityScene() {
  return (
    <Scene>
      <Switch x={20} y={52} isOn scale={1.1} />
      <Change x={62} y={52} />
      {[30, 46, 38, 62, 54].map((height, place) => (
        <rect
          key={height}
          x={88 + place * 24}
          y={98 - height}
          width="16"
          height={height}
          rx="4"
          className={TO_COME}
        />
      ))}
      <rect x="208" y="10" width="16" height="88" rx="4" className="fill-accent" />
    </Scene>
  );
}

export function BulkChangesScene() {
  return (
    <Scene>
      <path d="M172 44C172 4 68 4 68 40" className={LINE} />
      <path d="m61 34 7 7.500 7 -7.500" className={LINE} />
      <Change x={120} y={13} />
      <Person x={68} y={70} scale={1.1} />
      <Person x={120} y={70} scale={1.1} />
      <Person x={172} y={70} scale={1.1} />
    </Scene>
  );
}

export function ComplaintsScene() {
  return (
    <Scene>
      <rect x="36" y="22" width="84" height="60" rx="8" className={TO_COME} />
      <path d="m40 28 32 26a10 10 0 0 0 12 0l32 -26" className={`${LINE} [stroke-dasharray:2_3.5]`} />
      <Change x={144} y={52} />
      <Person x={186} y={54} scale={1.3} />
      <Mark x={214} y={26} scale={0.7} />
    </Scene>
  );
}

/** For what worked: the change has arrived. */
export function ArrivedScene() {
  return (
    <Scene>
      <Switch x={40} y={52} isOn scale={1.2} />
      <path d="M62 52H172" strokeWidth="2" className="stroke-accent" />
      <Change x={118} y={52} />
      <circle cx="196" cy="52" r="40" className="fill-surface opacity-50" />
      <circle cx="196" cy="52" r="32" className="fill-surface" />
      <Mark x={196} y={54} scale={0.95} />
    </Scene>
  );
}
