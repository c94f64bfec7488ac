import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail server that takes everything, and shows what it got as a mail program would. */
export interface MailServer {
  url: string;
  mails: Email[];
  /** An address that it refuses; empty: none. */
  refuse: string;
  /** What it says to that address; below 500: for now. */
  refuseWith: number;
  /** Of each mail it took: the sender and the receiver of the envelope. */
  envelopes: { from: string; to: string }[];
  /** It lets nobody send. */
  refusesSender: boolean;
  /** It takes the envelope, and refuses the message itself. */
  refusesMessage: boolean;
  close(): Promise<void>;
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/** @param port 0: any that is free */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom(_address, _session, done) {
      done(mailServer.refusesSender ? refusal(553, 'Sender not allowed') : null);
    },
    onRcptTo({ address }, _session, done) {
      if (address !== mailServer.refuse) return done();
      done(refusal(mailServer.refuseWith, 'No such mailbox'));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (mailServer.refusesMessage) return done(refusal(554, 'Message looks like spam'));
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mailServer.envelopes.push({ from, to: rcptTo[0]?.address ?? '' });
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push(mail);
          done();
        }, done);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    refuse: '',
    refuseWith: 550,
    envelopes: [],
    refusesSender: false,
    refusesMessage: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
