type Node<T> = { key: number; value: T };

/** A binary heap: the value with the smallest key comes out first. Thousands of checks cost a few comparisons each. */
export class Heap<T> {
  #nodes: Node<T>[] = [];

  /** The smallest key with its value, left in place. */
  peek(): Node<T> | undefined {
    return this.#nodes[0];
  }

  push(key: number, value: T): void {
    const nodes = this.#nodes;
    const node = { key, value };
    let at = nodes.push(node) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = nodes[above];
      if (!parent || parent.key <= key) break;
      nodes[at] = parent;
      at = above;
    }
    nodes[at] = node;
  }

  pop(): T | undefined {
    const first = this.#nodes[0];
    const last = this.#nodes.pop();
    if (first && last && first !== last) this.#sink(last);
    return first?.value;
  }

  #sink(node: Node<T>): void {
    const nodes = this.#nodes;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const below = (nodes[right]?.key ?? Number.POSITIVE_INFINITY) < (nodes[left]?.key ?? 0) ? right : left;
      const child = nodes[below];
      if (!child || child.key >= node.key) break;
      nodes[at] = child;
      at = below;
    }
    nodes[at] = node;
  }
}
