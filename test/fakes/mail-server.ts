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
  close(): Promise<void>;
}

/** @param port 0: any that is free */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      if (address !== mailServer.refuse) return done();
      done(Object.assign(new Error('No such mailbox'), { responseCode: mailServer.refuseWith }));
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
