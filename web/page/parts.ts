/*
 * Parts of the page that only some visits show. The browser loads them as a chunk of its own: before the page comes
 * alive if the server's HTML has one of them (`showsParts`), or else once it is usable.
 */
export { AgedLink } from './AgedLink.tsx';
export { EmailDialog } from './EmailDialog.tsx';
export { FormNotice } from './FormNotice.tsx';
export { LeaveReasons } from './LeaveReasons.tsx';
export { LinkChoice } from './LinkChoice.tsx';
export { Meanwhile } from './Meanwhile.tsx';
export { OtherPerson } from './OtherPerson.tsx';
export { PauseOffer } from './Pause.tsx';
export { PausedNote } from './PausedNote.tsx';
export { PendingNote } from './PendingNote.tsx';
export { SaveProgress } from './SaveProgress.tsx';
export { SaveResult } from './SaveResult.tsx';
