import { useTranslation } from 'react-i18next';
import { IMAGE_KINDS } from '#contract/images.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { Card } from '#web/ui/Card.tsx';
import { ColorField } from '#web/ui/ColorField.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import {
  accentAdvice,
  type ColourAdvice,
  MINIMUM_CONTRAST,
  textAdvice,
  wholeColours,
} from './colour-advice.ts';
import { ImageField } from './ImageField.tsx';
import { type CheckedSectionProps, memoSection } from './memo-section.ts';
import { useRatioText } from '../../components/use-ratio-text.ts';

interface LookSectionProps extends CheckedSectionProps {
  site: SiteParams;
}

export const LookSection = memoSection(LookFields, ({ attrs, logo, favicon }) => [
  logo,
  favicon,
  attrs.template_id,
  attrs.primary_color,
  attrs.text_color,
  attrs.background_color,
]);

function LookFields({ form, dispatch, errors, site }: LookSectionProps) {
  const { t } = useTranslation('pages');
  const { attrs } = form;
  const colours = wholeColours(attrs);
  const advise = useAdviceText();
  const setAttrs = (values: Partial<typeof attrs>) => dispatch({ type: 'set', values: { attrs: values } });
  return (
    <Card title={t('section.look')}>
      <div className="flex flex-col gap-5">
        <RadioCards
          label={t('template.label')}
          columns={2}
          options={TEMPLATE_IDS.map((value) => ({
            value,
            label: t(`template.${value}`),
            description: t(`template.${value}_help`),
          }))}
          value={attrs.template_id}
          onChange={(template_id) => setAttrs({ template_id })}
        />
        <div data-page-field="primary_color">
          <ColorField
            label={t('field.primary')}
            description={accentAdvice(colours).map(advise).join(' ')}
            value={attrs.primary_color}
            onChange={(primary_color) => setAttrs({ primary_color })}
            {...(errors.primary_color ? { errorMessage: errors.primary_color } : {})}
          />
        </div>
        <div className="grid gap-5 sm:grid-cols-2">
          <div data-page-field="text_color">
            <ColorField
              label={t('field.text')}
              description={advise(textAdvice(colours))}
              value={attrs.text_color}
              onChange={(text_color) => setAttrs({ text_color })}
              {...(errors.text_color ? { errorMessage: errors.text_color } : {})}
            />
          </div>
          <ColorField
            label={t('field.background')}
            value={attrs.background_color}
            onChange={(background_color) => setAttrs({ background_color })}
            {...(errors.background_color ? { errorMessage: errors.background_color } : {})}
          />
        </div>
        {IMAGE_KINDS.map((kind) => (
          <div key={kind} data-page-field={kind}>
            <ImageField
              kind={kind}
              site={site}
              value={form[kind]}
              onChange={(url) => dispatch({ type: 'set', values: { [kind]: url } })}
              background={colours.background_color}
              errorMessage={errors[kind]}
            />
          </div>
        ))}
      </div>
    </Card>
  );
}

function useAdviceText(): (advice: ColourAdvice) => string {
  const { t } = useTranslation('pages');
  const ratioText = useRatioText();
  return (advice) => {
    switch (advice.kind) {
      case 'accent_default':
      case 'text_default':
      case 'white':
      case 'text_good':
        return t(`contrast.${advice.kind}`, { ratio: ratioText(advice.ratio) });
      case 'dark':
        return t('contrast.dark', {
          ratio: ratioText(advice.ratio),
          white: ratioText(advice.white),
          minimum: ratioText(MINIMUM_CONTRAST),
        });
      case 'switch_moved':
        return t('contrast.switch_moved', { colour: advice.colour });
      case 'text_replaced':
        return t('contrast.text_replaced', {
          ratio: ratioText(advice.ratio),
          minimum: ratioText(MINIMUM_CONTRAST),
          colour: advice.colour,
        });
    }
  };
}
