"""Horovod's MNIST example in short, on made-up digits: a script of Horovod with one line changed.

    mpirun -n 2 python3 horovod_mnist.py
    torchrun --nproc_per_node 2 horovod_mnist.py
"""
import argparse

import torch
import torch.nn.functional as F
import torch.utils.data.distributed
from torch import nn, optim

import arlab.horovod as hvd  # was: import horovod.torch as hvd


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))
        x = F.relu(self.fc1(x.view(-1, 320)))
        return F.log_softmax(self.fc2(F.dropout(x, training=self.training)), dim=1)


def digits(samples):
    """Each digit is a pattern with noise."""
    generator = torch.Generator().manual_seed(42)
    patterns = torch.rand(10, 1, 28, 28, generator=generator)
    labels = torch.randint(10, (samples,), generator=generator)
    return torch.utils.data.TensorDataset(patterns[labels] - 0.5 + 0.3 * torch.randn(samples, 1, 28, 28, generator=generator), labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--samples", type=int, default=1024)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--fp16-allreduce", action="store_true")
    args = parser.parse_args()

    hvd.init()
    torch.manual_seed(42)
    torch.set_num_threads(1)
    train_dataset = digits(args.samples)
    train_sampler = torch.utils.data.distributed.DistributedSampler(train_dataset, num_replicas=hvd.size(), rank=hvd.rank())
    train_loader = torch.utils.data.DataLoader(train_dataset, batch_size=args.batch_size, sampler=train_sampler)
    model = Net()
    optimizer = optim.SGD(model.parameters(), lr=args.lr * hvd.size(), momentum=0.5)
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(optimizer, root_rank=0)
    compression = hvd.Compression.fp16 if args.fp16_allreduce else hvd.Compression.none
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters(), compression=compression)

    for epoch in range(1, args.epochs + 1):
        model.train()
        train_sampler.set_epoch(epoch)
        for data, target in train_loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
        average = hvd.allreduce(loss.detach(), name="avg_loss")
        if hvd.rank() == 0:
            print(f"epoch {epoch}: loss {average.item():.4f}", flush=True)
    hvd.shutdown()


if __name__ == "__main__":
    main()
