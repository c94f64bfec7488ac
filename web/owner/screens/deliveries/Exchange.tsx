import { useTranslation } from 'react-i18next';
import type { Attempt } from '#contract/deliveries.ts';
import { HttpBody, HttpRequest } from '../../components/HttpMessage.tsx';

interface ExchangeProps {
  attempt: Pick<Attempt, 'request' | 'response'>;
  /** Of the headings, one below what is around them. */
  heading: 'h3' | 'h5';
  /** A response that says that there was nothing to do is not an error. */
  wasExpected?: boolean;
}

/** What came back, which is what people look for first, and what was sent. */
export function Exchange({ attempt, heading: Heading, wasExpected = false }: ExchangeProps) {
  const { t } = useTranslation('deliveries');
  return (
    <>
      <Response response={attempt.response} heading={Heading} wasExpected={wasExpected} />
      {attempt.request.url !== '' && (
        <section>
          <Heading className="font-semibold">{t('attempt.request')}</Heading>
          <HttpRequest request={attempt.request} />
        </section>
      )}
    </>
  );
}

interface ResponseProps extends Required<Pick<ExchangeProps, 'heading' | 'wasExpected'>> {
  response: Attempt['response'];
}

function Response({ response, heading: Heading, wasExpected }: ResponseProps) {
  const { t } = useTranslation('deliveries');
  return (
    <section>
      <Heading className="font-semibold">{t('attempt.response')}</Heading>
      {response === null ? (
        <p className="mt-1 text-ink-muted">{t('attempt.no_response')}</p>
      ) : (
        <>
          {wasExpected && <p className="my-1 text-pretty">{t('attempt.expected')}</p>}
          <p className="my-1">{t('attempt.status', { status: response.status })}</p>
          <HttpBody body={response.body} />
        </>
      )}
    </section>
  );
}
