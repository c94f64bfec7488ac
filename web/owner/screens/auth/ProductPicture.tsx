import { useTranslation } from 'react-i18next';

/** One of the handbook's pictures, which `npm run pictures` takes. */
const PICTURE = { src: '/docs/pictures/preference-page.webp', width: 900, height: 760 };

/** Shows what the product is to people who don't know it yet: a real preference page, and a sentence. */
export function ProductPicture() {
  const { t } = useTranslation('auth');
  return (
    <aside className="hidden flex-col justify-center gap-8 border-l border-line bg-accent-soft px-12 lg:flex xl:px-16">
      <div className="max-w-lg">
        <p className="text-2xl font-semibold tracking-tight text-balance">{t('picture.title')}</p>
        <p className="mt-3 text-pretty text-ink-muted">{t('picture.text')}</p>
      </div>
      <img
        {...PICTURE}
        alt={t('picture.alt')}
        loading="lazy"
        decoding="async"
        className="h-auto w-full max-w-lg rounded-lg border border-line shadow-lift"
      />
    </aside>
  );
}
