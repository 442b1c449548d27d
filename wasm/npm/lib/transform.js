// A transform stream from bytes to messages.

/** Returns the class for transform streams over this class of message streams. */
export function transformClass(MessageStream) {
  return class MessageTransform extends TransformStream {
    constructor(options) {
      const stream = new MessageStream(options);
      const pass = (items, controller) => {
        // Items wait in a queue while the stream continues.
        for (const received of items) controller.enqueue(received.detach());
      };
      super({
        transform: (chunk, controller) => pass(stream.push(chunk), controller),
        flush: (controller) => {
          pass(stream.finish(), controller);
          stream.free();
        },
        cancel: () => stream.free(),
      });
    }
  };
}
