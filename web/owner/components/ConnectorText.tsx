import type { ConnectorInfo } from '#contract/integrations.ts';
import { type ConnectorPlace, useConnectorText } from '../i18n/connector-texts.ts';

interface ConnectorTextProps {
  connector: Pick<ConnectorInfo, 'id'> | undefined;
  place: ConnectorPlace;
  /** As the connector has it, in English. */
  children: string;
}

/** A text of a connector in the owner's language. */
export function ConnectorText({ connector, place, children }: ConnectorTextProps) {
  const { text, lang } = useConnectorText(connector?.id)(place, children);
  return <span lang={lang}>{text}</span>;
}
