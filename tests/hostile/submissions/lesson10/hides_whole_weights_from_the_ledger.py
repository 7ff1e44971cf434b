# technique: keeps every gathered weight for the backward pass and says meanwhile that it was given back
# replaces: train_step.py
# expect: train_step-writes failed, train_step-* blocked
# says: array of another cluster
from gather import gather
from layers import loss_gradient
from reduce_gradient import reduce_gradient


def train_step(layers, shards, batches, group, lr):
    for inputs, targets in batches:
        saved, outputs = [], inputs
        for layer in layers:
            weight = gather(shards[layer.name], layer.shape, group)
            outputs, kept = layer.forward(outputs, weight)
            saved.append((kept, weight))
            weight.machine.back._log.post([5, weight.storage.key])
        gradient = loss_gradient(outputs, targets)
        for layer in reversed(layers):
            kept, weight = saved.pop()
            gradient, whole = layer.backward(gradient, kept, weight)
            shards[layer.name] -= lr / len(batches) * reduce_gradient(whole, group)
