import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Mark, Scene, Switch } from '../../components/scenes/shapes.tsx';

/** One of the handbook's pictures, which `npm run pictures` takes. */
const PICTURE = { src: '/docs/pictures/preference-page.webp', width: 900, height: 760 };

/**
 * Shows what the product is to people who don't know it yet: a sentence, and a real preference page. A change comes in
 * by the switch at its side and leaves as said.
 */
export function ProductPicture() {
  const { t } = useTranslation('auth');
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col justify-center gap-10 overflow-hidden bg-deep px-14 text-on-deep lg:flex xl:px-20">
      <div className="max-w-lg">
        <p className="text-3xl font-semibold tracking-tight text-balance xl:text-4xl">{t('picture.title')}</p>
        <p className="mt-4 text-base text-pretty text-on-deep-muted">{t('picture.text')}</p>
      </div>
      <div className="relative max-w-lg">
        <span
          aria-hidden
          className="absolute top-[58%] -right-[50vw] -left-[50vw] border-t-2 border-dotted border-on-deep-muted/50"
        />
        <img
          {...PICTURE}
          alt={t('picture.alt')}
          loading="lazy"
          decoding="async"
          className="relative h-auto w-full rounded-lg shadow-lift"
        />
        <Badge className="-left-9">
          <Switch x={36} y={28} isOn scale={1.4} />
        </Badge>
        <Badge className="-right-9">
          <Mark x={36} y={30} scale={0.85} />
        </Badge>
      </div>
    </aside>
  );
}

/** The same in short, where there is no room beside the form. */
export function ProductNote() {
  const { t } = useTranslation('auth');
  return (
    <div className="overflow-hidden rounded-lg bg-deep px-5 pt-5 text-on-deep">
      <p className="font-semibold text-pretty">{t('picture.title')}</p>
      <p className="mt-1.5 pb-5 text-[13px] text-pretty text-on-deep-muted">{t('picture.text')}</p>
      <img
        {...PICTURE}
        alt={t('picture.alt')}
        loading="lazy"
        decoding="async"
        className="hidden h-auto w-full rounded-t-lg md:block"
      />
    </div>
  );
}

function Badge({ className, children }: { className: string; children: ReactNode }) {
  return (
    <span
      className={`absolute top-[58%] -translate-y-1/2 rounded-full bg-surface ring-8 ring-deep ${className}`}
    >
      <Scene width={72} height={56}>
        {children}
      </Scene>
    </span>
  );
}
