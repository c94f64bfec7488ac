/*
 * A browser's page translation puts an element in the place of each text node, and React still holds the node. Without
 * this, React would change that node unseen, and fail when it removes it or puts something before it: the screen, with
 * what was typed into it, would be gone.
 */

/** What stands in the document in the place of a text that was translated. */
const standIns = new WeakMap<Node, ChildNode>();

const observer = new MutationObserver((changes) => {
  for (const change of changes) {
    if (change.type === 'characterData') showAgain(change.target);
    else for (const node of change.removedNodes) follow(node, change);
  }
});

/** Puts React's text back after React has changed it. The browser then translates it again. */
function showAgain(text: Node): void {
  const standIn = standIns.get(text);
  standIns.delete(text);
  if (standIn?.isConnected === true) standIn.replaceWith(text);
}

const isTranslation = (node: Node | null | undefined): node is HTMLElement => node?.nodeName === 'FONT';

function follow(node: Node, { addedNodes, previousSibling, nextSibling }: MutationRecord): void {
  if (!(node instanceof Text) || node.isConnected) return;
  const standIn = [addedNodes[0], previousSibling, nextSibling].find(isTranslation);
  if (standIn === undefined) return;
  standIns.set(node, standIn);
  observer.observe(node, { characterData: true });
}

/** The child of a parent that a node is, is inside of, or was replaced by. */
function childOf(parent: Node, node: Node): ChildNode | null {
  let found: Node | null = standIns.get(node) ?? node;
  while (found !== null && found.parentNode !== parent) found = found.parentNode;
  return found as ChildNode | null;
}

/** Lets React go on with texts that a browser has translated. */
export function workWhileTranslated(): void {
  const { appendChild, insertBefore, removeChild } = Node.prototype;
  observer.observe(document, { childList: true, subtree: true });

  Node.prototype.removeChild = function remove<T extends Node>(this: Node, child: T): T {
    if (child.parentNode === this) return removeChild.call(this, child) as T;
    childOf(this, child)?.remove();
    return child;
  };
  Node.prototype.insertBefore = function insert<T extends Node>(this: Node, node: T, before: Node | null): T {
    standIns.get(node)?.remove();
    return insertBefore.call(this, node, before && childOf(this, before)) as T;
  };
  Node.prototype.appendChild = function append<T extends Node>(this: Node, node: T): T {
    standIns.get(node)?.remove();
    return appendChild.call(this, node) as T;
  };
}
