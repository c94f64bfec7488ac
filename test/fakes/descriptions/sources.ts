/** Where an answer is known from: a real account, the tool's description for machines, or what it writes for people. */
export interface Source {
  kind: 'recorded' | 'described' | 'documented';
  /** Of the recording, or of what was read. */
  date: string;
  /** A repository and its commit, or a document. */
  where: string;
}
