/** A first-in, first-out queue. Adding, removing any item and removing the oldest item take constant time. */
export interface FifoQueue<T> {
  /** Adds an item at the end. The returned function removes the item from any position. */
  enqueue(item: T): () => void;
  /** Returns the oldest item without removing the item, or undefined if the queue is empty. */
  peek(): T | undefined;
  /** Removes the oldest item and returns it. Returns undefined if the queue is empty. */
  dequeue(): T | undefined;
  size(): number;
}

interface Node<T> {
  readonly item: T;
  isRemoved: boolean;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
}

// The queue is a linked list because a Set keeps the slots of removed members, which makes finding the first member slow.
export function createFifoQueue<T>(): FifoQueue<T> {
  let head: Node<T> | undefined;
  let tail: Node<T> | undefined;
  let size = 0;

  function remove(node: Node<T>): void {
    if (node.isRemoved) return;
    node.isRemoved = true;
    size -= 1;
    const { previous, next } = node;
    if (previous) previous.next = next;
    else head = next;
    if (next) next.previous = previous;
    else tail = previous;
    // The links are cleared so that a referenced removed node does not prevent the collection of later nodes.
    node.previous = undefined;
    node.next = undefined;
  }

  return {
    enqueue(item) {
      const node: Node<T> = { item, isRemoved: false, previous: tail, next: undefined };
      if (tail) tail.next = node;
      else head = node;
      tail = node;
      size += 1;
      return () => remove(node);
    },
    dequeue() {
      const node = head;
      if (node) remove(node);
      return node?.item;
    },
    peek: () => head?.item,
    size: () => size,
  };
}
