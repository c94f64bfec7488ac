import { Monitor, Smartphone } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import type { Site } from '#contract/sites.ts';
import { SegmentedControl } from '#web/ui/SegmentedControl.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { LANGUAGE_NAMES } from '../../i18n/language.logic.ts';
import type { PageForm } from './pages.logic.ts';
import { previewView } from './preview-view.ts';
import { PreviewFrame } from './PreviewFrame.tsx';

const SCREENS = { phone: { width: 375, height: 667 }, desktop: { width: 1024, height: 720 } };

type Step = 'form' | 'preferences';
type Device = keyof typeof SCREENS;

export function PreviewPane({ form, site }: { form: PageForm; site: Site }) {
  const { t } = useTranslation('pages');
  const [device, setDevice] = useState<Device>('phone');
  const [step, setStep] = useState<Step>('preferences');
  const [chosen, setChosen] = useState<Language | null>(null);
  const { language: usual } = form.attrs;
  const { active_languages } = form;
  const offered = useMemo(
    () => LANGUAGES.filter((one) => one === usual || active_languages.includes(one)),
    [usual, active_languages],
  );
  const language = chosen !== null && offered.includes(chosen) ? chosen : usual;
  return (
    <section aria-label={t('preview.title')} className="flex flex-col gap-3">
      <Controls
        {...{ step, device, language, offered }}
        onStep={setStep}
        onDevice={setDevice}
        onLanguage={setChosen}
      />
      <div className="overflow-hidden rounded-lg border border-line bg-sunken">
        <PreviewFrame
          view={previewView(form, site, step, language)}
          title={t('preview.frame')}
          onLanguage={setChosen}
          {...SCREENS[device]}
        />
      </div>
      <p className="text-[13px] text-ink-muted">{t('preview.note')}</p>
    </section>
  );
}

interface ControlsProps {
  step: Step;
  device: Device;
  language: Language;
  offered: readonly Language[];
  onStep: (step: Step) => void;
  onDevice: (device: Device) => void;
  onLanguage: (language: Language) => void;
}

const Controls = memo(function PreviewControls({ step, device, language, offered, ...on }: ControlsProps) {
  const { t } = useTranslation('pages');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SegmentedControl
        label={t('preview.step')}
        value={step}
        onChange={on.onStep}
        options={[
          { value: 'form', label: t('preview.form') },
          { value: 'preferences', label: t('preview.preferences') },
        ]}
      />
      <SegmentedControl
        label={t('preview.device')}
        value={device}
        onChange={on.onDevice}
        options={[
          { value: 'phone', label: t('preview.phone'), icon: <Smartphone /> },
          { value: 'desktop', label: t('preview.desktop'), icon: <Monitor /> },
        ]}
      />
      {offered.length > 1 && (
        <div className="min-w-32 flex-1">
          <SelectField
            isLabelHidden
            label={t('preview.language')}
            options={offered.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
            value={language}
            onChange={on.onLanguage}
          />
        </div>
      )}
    </div>
  );
});
